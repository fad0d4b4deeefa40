package io.sluice.cli.sizing;

/** What there must be enough servers for. */
enum Limit {
  DISK_SPACE("disk space", Unit.BYTES),
  DISK_BANDWIDTH("disk bandwidth", Unit.BYTES_PER_SECOND),
  NETWORK("network", Unit.BYTES_PER_SECOND),
  CPU("CPU", Unit.CORES),
  MEMORY("memory", Unit.BYTES),
  LOSS("the loss of one", Unit.SERVERS);

  /** Of its figures. */
  enum Unit {
    BYTES,
    BYTES_PER_SECOND,
    CORES,
    SERVERS
  }

  private final String words;
  private final Unit unit;

  Limit(String words, Unit unit) {
    this.words = words;
    this.unit = unit;
  }

  String words() {
    return words;
  }

  Unit unit() {
    return unit;
  }
}
