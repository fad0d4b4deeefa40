package io.sluice.server.log;

/**
 * One shuffle of one application.
 *
 * @param application the engine's application id
 * @param shuffle the engine's number of the shuffle, from 0
 */
public record ShuffleKey(String application, int shuffle) {
  @Override
  public String toString() {
    return "application=" + application + " shuffle=" + shuffle;
  }
}
