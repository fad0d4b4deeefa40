package io.sluice.cli.sizing;

/** Resource that can determine the number of servers. */
enum Limit {
  DISK_SPACE("disk space", Unit.BYTES),
  DISK_BANDWIDTH("disk bandwidth", Unit.BYTES_PER_SECOND),
  NETWORK("network", Unit.BYTES_PER_SECOND),
  CPU("CPU", Unit.CORES),
  MEMORY("memory", Unit.BYTES),
  LOSS("loss of a server", Unit.SERVERS);

  /** Unit of a limit's values. */
  enum Unit {
    BYTES,
    BYTES_PER_SECOND,
    CORES,
    SERVERS
  }

  private final String label;
  private final Unit unit;

  Limit(String label, Unit unit) {
    this.label = label;
    this.unit = unit;
  }

  String label() {
    return label;
  }

  Unit unit() {
    return unit;
  }
}
