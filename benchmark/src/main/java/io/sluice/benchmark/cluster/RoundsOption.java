package io.sluice.benchmark.cluster;

import picocli.CommandLine.Option;

/** Number of rounds of a benchmark that begins with a warm-up round. */
public final class RoundsOption {
  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Number of measured rounds, after one warm-up round; default ${DEFAULT-VALUE}.")
  private int rounds;

  /**
   * @param rounds default of the option
   */
  public RoundsOption(int rounds) {
    this.rounds = rounds;
  }

  public int count() {
    return rounds;
  }
}
