package io.sluice.it.faults;

/** A point at which the fault job pauses; see {@code FaultJob} of the test jobs. */
enum Point {
  /** The shuffle has servers, no data is written. */
  REGISTERED("registered"),
  /** Two of six maps are done, two have written half, two have not started. */
  IN_MAP("in-map"),
  /** All maps are done. */
  MAPPED("mapped"),
  /** Two of nine reduce tasks have read one record each. */
  IN_READ("in-read");

  private final String text;

  Point(String text) {
    this.text = text;
  }

  String text() {
    return text;
  }
}
