package io.sluice.common.net;

/** Messages about connections beyond a limit: what was counted, and the key to raise. */
public final class LimitReached {
  private LimitReached() {}

  /** Beyond the limit of all connections of a port. */
  public static String ofPort(int limit, String key) {
    return "too many connections" + text(limit, key);
  }

  /**
   * Beyond the limit of one owner of connections.
   *
   * @param owner with its preposition, such as {@code from 10.0.0.1}
   */
  public static String of(String owner, int limit, String key) {
    return "too many connections " + owner + text(limit, key);
  }

  private static String text(int limit, String key) {
    return ", limit=" + limit + " open=" + limit + "; to allow more, raise " + key;
  }
}
