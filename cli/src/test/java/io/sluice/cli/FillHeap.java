package io.sluice.cli;

/** A program that exhausts its heap. Exits with status 99 if the JVM continues after that. */
final class FillHeap {
  private static final int SURVIVED = 99;

  private FillHeap() {}

  public static void main(String[] args) {
    Object[] kept = null;
    try {
      while (true) {
        kept = new Object[] {kept, new byte[1 << 20]};
      }
    } catch (OutOfMemoryError exhausted) {
      Runtime.getRuntime().halt(SURVIVED);
    }
  }
}
