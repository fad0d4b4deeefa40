package io.sluice.cli;

/** Program whose classes are in the archive of a test. */
final class ArchivedProgram {
  private ArchivedProgram() {}

  public static void main(String[] arguments) {
    System.out.println("arguments=" + arguments.length);
  }
}
