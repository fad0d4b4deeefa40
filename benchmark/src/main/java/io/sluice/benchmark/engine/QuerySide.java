package io.sluice.benchmark.engine;

/** Engine and shuffle of one side in a comparison of queries. */
enum QuerySide {
  SPARK("spark", false, false),
  SPARK_ON_SLUICE("spark+sluice", false, true),
  COMET("comet", true, false),
  COMET_ON_SLUICE("comet+sluice", true, true);

  private final String label;
  private final boolean comet;
  private final boolean sluice;

  QuerySide(String label, boolean comet, boolean sluice) {
    this.label = label;
    this.comet = comet;
    this.sluice = sluice;
  }

  /** Whether Comet executes the queries; Spark alone otherwise. */
  boolean usesComet() {
    return comet;
  }

  /** Whether shuffles go through Sluice; the built-in shuffle of the engine otherwise. */
  boolean usesSluice() {
    return sluice;
  }

  /** Value of the options. */
  @Override
  public String toString() {
    return label;
  }
}
