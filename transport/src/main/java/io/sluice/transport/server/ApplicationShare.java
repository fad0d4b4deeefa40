package io.sluice.transport.server;

/**
 * How much of a budget one application may use: at most as much as it leaves free (dynamic
 * thresholds, Choudhury and Hahne 1998). One application alone gets half; n that ask for more at
 * the same time get the (n + 1)th part each, and as much stays free for the next.
 */
public final class ApplicationShare {
  private ApplicationShare() {}

  /**
   * Whether an application stays within its share.
   *
   * @param capacityBytes of the budget
   * @param usedBytes by all applications, this one included
   * @param applicationBytes of these that are used by this application
   */
  public static boolean allows(long capacityBytes, long usedBytes, long applicationBytes) {
    return applicationBytes <= capacityBytes - usedBytes;
  }
}
