/* Reads numbers from a file: one on a line, or one column of a CSV file. */
#ifndef SUMMARY_READER_H
#define SUMMARY_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct reader {
    FILE *file;
    const char *name;   /* of the file, for messages */
    const char *column; /* name of the column of a CSV file. NULL: one number on a line */
    size_t field;       /* index of the column */
    size_t line;        /* where the record in `text` begins */
    size_t next_line;   /* where the next record begins */
    size_t missing;     /* records whose number is missing */
    char *text;
    size_t length, capacity;
} reader;

/* Starts at the beginning of the file, where a CSV file names its columns. */
void begin_reading(reader *r);

/* Reads a line, or several if a quoted field of a CSV file has line breaks. False at the end of the file. */
bool read_record(reader *r);

/* Finds the record's number. False if the record is blank or its number is missing. Changes `text`. */
bool find_number(reader *r, double *value);

#endif
