package io.sluice.client.push;

/**
 * One try of one map task.
 *
 * @param id unique in the application, at least 0; two tries of the same task differ
 * @param mapIndex which map task of the shuffle, from 0
 */
public record MapAttempt(long id, int mapIndex) {
  public MapAttempt {
    if (id < 0 || mapIndex < 0) {
      throw new IllegalArgumentException(
          "map attempt: expected numbers from 0, found id=" + id + " mapIndex=" + mapIndex);
    }
  }
}
