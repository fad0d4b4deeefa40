package io.sluice.benchmark.merge;

/**
 * Measurements of one merge policy.
 *
 * @param runs number of run files after merging
 * @param extents number of extents of all partitions
 * @param bytes total bytes of all blocks
 * @param requests number of read requests to read all data in slices
 * @param kernelReads number of read system calls; 0 on an emulated disk
 * @param readSeconds time of one reader: modelled, or real on a real disk
 * @param crowdSeconds modelled time of several concurrent readers; 0 on a real disk
 * @param mergeSeconds time of merging: modelled, or real on a real disk
 * @param mergedBytes bytes written by merging
 */
record MergeRow(
    String policy,
    int runs,
    long extents,
    long bytes,
    long requests,
    long kernelReads,
    double readSeconds,
    double crowdSeconds,
    double mergeSeconds,
    long mergedBytes) {}
