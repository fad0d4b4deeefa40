package io.sluice.transport.server;

/**
 * Maximum share of one application in a budget: at most the size of the free part (dynamic
 * thresholds, Choudhury and Hahne 1998). A single application gets half of the budget; n
 * applications that need more get 1 / (n + 1) each, and an equal part stays free for the next
 * application.
 */
public final class ApplicationShare {
  private ApplicationShare() {}

  /**
   * Whether an application stays within its share.
   *
   * @param capacityBytes size of the budget
   * @param usedBytes bytes used by all applications, including this one
   * @param applicationBytes bytes used by this application
   */
  public static boolean allows(long capacityBytes, long usedBytes, long applicationBytes) {
    return applicationBytes <= capacityBytes - usedBytes;
  }
}
