package io.sluice.benchmark.merge;

import java.util.Locale;

/**
 * What one way of merging came to.
 *
 * @param runs files at the end
 * @param extents pieces that the partitions are in, all together
 * @param bytes of all blocks
 * @param requests reads that were made to read all of it in slices
 * @param kernelReads reads that the kernel counted meanwhile; 0 on an emulated disk
 * @param readSeconds of one reader: of the disk's model, or real time
 * @param crowdSeconds of several readers at once, by the disk's model; 0 on a real disk
 * @param mergeSeconds as readSeconds
 * @param mergedBytes bytes that merging wrote
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
    long mergedBytes) {
  static final String CSV_HEADING =
      "policy,runs,extents,bytes,requests,kernelReads,readSeconds,crowdSeconds,mergeSeconds,"
          + "mergedBytes";

  String csv() {
    return String.format(
        Locale.ROOT,
        "%s,%d,%d,%d,%d,%d,%.3f,%.3f,%.3f,%d",
        policy,
        runs,
        extents,
        bytes,
        requests,
        kernelReads,
        readSeconds,
        crowdSeconds,
        mergeSeconds,
        mergedBytes);
  }
}
