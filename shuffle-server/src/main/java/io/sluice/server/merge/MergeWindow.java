package io.sluice.server.merge;

/**
 * Runs that follow each other.
 *
 * @param from index of the first
 * @param to index behind the last
 */
public record MergeWindow(int from, int to) {
  public int count() {
    return to - from;
  }
}
