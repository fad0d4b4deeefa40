package io.sluice.coordinator.assign;

/** The servers in turn, by their index; the turn goes on from one assignment to the next. */
final class RoundRobin implements AssignmentStrategy {
  private final int serverCount;
  private int next;

  /**
   * @param serverCount how many indexes there are
   * @param start where the turn begins, any non-negative number
   */
  RoundRobin(int serverCount, long start) {
    this.serverCount = serverCount;
    this.next = (int) (start % serverCount);
  }

  @Override
  public int choose(int[] open, int count, double[] load) {
    int best = open[0];
    for (int i = 1; i < count; i++) {
      if (distance(open[i]) < distance(best)) {
        best = open[i];
      }
    }
    next = (best + 1) % serverCount;
    return best;
  }

  private int distance(int index) {
    return Math.floorMod(index - next, serverCount);
  }
}
