package io.sluice.it.spark.jobs;

import java.io.BufferedReader;
import java.io.IOException;

/** A point at which the driver waits for the test. */
final class Pause {
  static final String PREFIX = "pause:";

  private Pause() {}

  /** Prints the name of the point and waits for a line or the end of the input. */
  static void untilResumed(String name, BufferedReader input) throws IOException {
    System.out.println(name);
    System.out.flush();
    String line = input.readLine();
    System.out.println("continuing after " + name + ": " + line);
  }
}
