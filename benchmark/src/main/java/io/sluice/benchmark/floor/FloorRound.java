package io.sluice.benchmark.floor;

import java.util.Map;

/**
 * Costs that were measured one after the other.
 *
 * @param isFirst whether the round began soon after the start of the servers
 * @param cpu CPU seconds per GiB
 * @param spilledShare share of the pushed bytes that the server with little memory wrote to files
 */
record FloorRound(boolean isFirst, Map<FloorFigure, Double> cpu, double spilledShare) {

  double cpu(FloorFigure figure) {
    return cpu.get(figure);
  }

  /** Cost of the minimal server for the bytes that Sluice received, and partly wrote. */
  double receivedAndSpilled() {
    double receive = cpu(FloorFigure.RECEIVE);
    return receive + spilledShare * (cpu(FloorFigure.WRITE) - receive);
  }
}
