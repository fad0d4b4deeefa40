package io.sluice.client.push;

/**
 * One execution of one map task.
 *
 * @param id unique in the application, at least 0; two attempts of one task have different ids
 * @param mapIndex index of the map task in the shuffle, from 0
 */
public record MapAttempt(long id, int mapIndex) {
  public MapAttempt {
    if (id < 0 || mapIndex < 0) {
      throw new IllegalArgumentException(
          "invalid map attempt: expected numbers of at least 0, found id="
              + id
              + " mapIndex="
              + mapIndex);
    }
  }
}
