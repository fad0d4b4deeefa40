package io.sluice.cli;

import java.util.ArrayList;
import java.util.List;

/** A program that exhausts its heap; it ends with status 99 if the JVM lets it continue. */
final class FillHeap {
  private static final int SURVIVED = 99;

  private FillHeap() {}

  public static void main(String[] args) {
    List<byte[]> kept = new ArrayList<>();
    try {
      while (true) {
        kept.add(new byte[1 << 20]);
      }
    } catch (OutOfMemoryError exhausted) {
      Runtime.getRuntime().halt(SURVIVED);
    }
  }
}
