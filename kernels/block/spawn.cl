// lint:
// The names of a kernel of the user's own.
//   FP_ITEM_COLUMNS=16  the items in a row of a group; 0: the space has one dimension
#define fp_sync() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define fp_items ((uint)FP_WG)
#define fp_groups ((uint)get_num_groups(0))
#define fp_item ((uint)get_local_id(0))
#define fp_group ((uint)get_group_id(0))
#define fp_i ((ulong)fp_group * FP_WG + fp_item)
#if FP_ITEM_COLUMNS
#define fp_item_columns ((uint)FP_ITEM_COLUMNS)
#define fp_item_rows (fp_items / fp_item_columns)
#define fp_item_row (fp_item / fp_item_columns)
#define fp_item_column (fp_item % fp_item_columns)
// There are fewer than 2^32 groups, and a division of 32 bits takes a fifth of one of 64.
#define fp_row ((ulong)(fp_group / (uint)fp_group_columns) * fp_item_rows + fp_item_row)
#define fp_column ((ulong)(fp_group % (uint)fp_group_columns) * fp_item_columns + fp_item_column)
#endif
