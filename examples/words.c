/* Counts the words of a text. Each word is hashed where it begins. A dictionary of the hashes adds up how often a word
 * occurs; another one keeps where it occurs first. The text is a nursery rhyme, "This is the house that Jack built". */
#include <firepile.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 8192, SHOWN = 5 };

static const char *const parts[] = {"the house that Jack built.",
                                    "the malt that lay in ",
                                    "the rat that ate ",
                                    "the cat that killed ",
                                    "the dog that worried ",
                                    "the cow with the crumpled horn that tossed ",
                                    "the maiden all forlorn that milked "};

/* Verse k has the parts from k down to the first. */
static size_t write_text(char *text)
{
    size_t n = 0;
    for (int verse = 0; verse < (int)(sizeof parts / sizeof *parts); verse++) {
        n += (size_t)snprintf(text + n, MOST - n, "This is ");
        for (int k = verse; k >= 0; k--) n += (size_t)snprintf(text + n, MOST - n, "%s", parts[k]);
        n += (size_t)snprintf(text + n, MOST - n, "\n");
    }
    return n;
}

GPU_FUNCTION(bool, is_letter, (char c), { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
GPU_FUNCTION(bool, begins, (char x, uint64_t i, GPU_GLOBAL const char *text),
             { return is_letter(x) && (i == 0 || !is_letter(text[i - 1])); });
/* FNV-1a. The text ends with a newline. */
GPU_FUNCTION(uint64_t, hash_at, (uint64_t x, GPU_GLOBAL const char *text), {
    uint64_t hash = 14695981039346656037u;
    for (; is_letter(text[x]); x++) hash = (hash ^ (uint64_t)text[x]) * 1099511628211u;
    return hash;
});

/* The counts of the most frequent words, from the most on, and the places where these words occur first. */
static void count_words(const gpu_array *text, gpu_array **counts, gpu_array **places)
{
    gpu_array *starts = gpu_find_if(text, begins, GPU_ARG(text));
    gpu_array *words = gpu_map(starts, hash_at, GPU_ARG(text)), *ones = gpu_map_to(starts, GPU_UINT, "1");
    gpu_dict *count = gpu_dict_of(words, ones, "a + b"), *first = gpu_dict_of(words, starts, "a");
    gpu_sort_pairs_by(gpu_dict_values(count), gpu_dict_values(first), "a > b", counts, places);
}

int main(void)
{
    static char text[MOST];
    const size_t n = write_text(text);
    unsigned counts[SHOWN];
    uint64_t places[SHOWN];
    gpu *g = gpu_open(NULL);
    gpu_array *often, *where;
    count_words(gpu_array_of(g, text, n), &often, &where);
    bool failed = gpu_read(gpu_slice(often, 0, SHOWN), counts) || gpu_read(gpu_slice(where, 0, SHOWN), places);
    if (failed) fprintf(stderr, "%s\n", gpu_error());
    for (int k = 0; k < SHOWN && !failed; k++)
        printf("%s%.*s %u", k ? ", " : "", (int)strcspn(text + places[k], " .\n"), text + places[k], counts[k]);
    if (!failed) printf("\n");
    if (fflush(stdout)) {
        perror("words");
        failed = true;
    }
    gpu_close(g);
    return failed;
}
