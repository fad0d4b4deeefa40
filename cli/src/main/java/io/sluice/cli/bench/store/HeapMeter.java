package io.sluice.cli.bench.store;

/** What is alive on the heap of this JVM. */
final class HeapMeter {
  /** One collection may leave what only a second one finds dead, behind references of any kind. */
  private static final int COLLECTIONS = 3;

  /** Collects garbage and tells what is left, in bytes. */
  long usedBytes() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
