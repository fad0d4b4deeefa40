package io.sluice.it.cluster;

import io.sluice.common.docs.Checkout;
import io.sluice.localcluster.ClassDataArchive;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Class path of this test for coordinators, servers and commands, and its class data archive. */
public final class TestClassPath {
  private static final String LIST = "dist/src/sluice.classlist";

  private TestClassPath() {}

  /** Jars before directories, because a class data archive cannot contain directories. */
  public static String text() {
    return joined(Stream.concat(jars(), entries().filter(Files::isDirectory)));
  }

  /** Archive of the jars' classes that coordinators and servers load. Created if it is missing. */
  public static ClassDataArchive archive() {
    Path list = Checkout.root().resolve(LIST);
    String classPath = joined(jars());
    ClassArchive archive =
        new ClassArchive(
            Path.of("target/class-archives/sluice-" + Integer.toHexString(classPath.hashCode()))
                .toAbsolutePath(),
            classPath,
            Stream.concat(jars(), Stream.of(list)).toList());
    try {
      return archive.ofList(list);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while a class data archive was created", e);
    }
  }

  private static Stream<Path> jars() {
    return entries().filter(Files::isRegularFile);
  }

  private static Stream<Path> entries() {
    String classPath = System.getProperty("java.class.path");
    return Arrays.stream(classPath.split(File.pathSeparator, -1)).map(Path::of);
  }

  private static String joined(Stream<Path> entries) {
    return entries.map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }
}
