package io.sluice.common.run;

/**
 * A block of a run whose bytes do not match the run's block list.
 *
 * @param fileOffset offset of the block in the file
 * @param listed the block as the block list describes it
 * @param problem names file, offset and damage
 */
public record DamagedBlock(
    int partition, long fileOffset, RunBlock listed, RunFormatException problem) {
  /** Bytes of header and payload. */
  public int length() {
    return listed.length();
  }
}
