/**
 * From many small extents to few large ones, in the background ({@code docs/storage.md}). {@link
 * io.sluice.server.merge.MergePolicy} decides and has neither threads nor files, {@link
 * io.sluice.server.merge.MergeWriter} merges once, {@link io.sluice.server.merge.Merger} has the
 * threads: one that plans, one per disk that merges. Nobody else waits for them; a reader that
 * comes before a merge is done reads the runs as they were.
 */
package io.sluice.server.merge;
