package io.sluice.it.faults;

/** A point at which the fault job stops; said in the test jobs' {@code FaultJob}. */
enum Point {
  /** The shuffle has servers, nothing was written. */
  REGISTERED("registered"),
  /** Two of six maps are done, two have written half, two have not begun. */
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
