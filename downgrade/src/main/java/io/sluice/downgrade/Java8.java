package io.sluice.downgrade;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.tree.ClassNode;

/**
 * The classes of Java 8 with their members: the data of the JDK for the compiler option {@code
 * --release 8}, a zip file with class files without code. Each is at {@code
 * RELEASES/MODULE/CLASS.sig}, where RELEASES has one character for each release.
 */
final class Java8 implements AutoCloseable {
  private static final String RELEASE = "8";
  private static final String SUFFIX = ".sig";

  /** In every JDK from 8 on, but not in the data. */
  private static final Set<String> UNDOCUMENTED = Set.of("sun/misc/Unsafe");

  private final ZipFile data;
  private final Map<String, ZipEntry> entries = new HashMap<>();
  private final Map<String, ClassNode> read = new HashMap<>();
  private final Map<String, Boolean> lacking = new HashMap<>();

  private Java8(ZipFile data) {
    this.data = data;
    for (Enumeration<? extends ZipEntry> all = data.entries(); all.hasMoreElements(); ) {
      ZipEntry entry = all.nextElement();
      String[] parts = entry.getName().split("/", 3);
      if (parts.length == 3 && parts[0].contains(RELEASE) && parts[2].endsWith(SUFFIX)) {
        entries.put(parts[2].substring(0, parts[2].length() - SUFFIX.length()), entry);
      }
    }
    if (!entries.containsKey("java/lang/Object")) {
      throw new IllegalStateException(data.getName() + ": no classes of Java 8; use a JDK 17");
    }
  }

  /** Reads the data of the JDK that runs this process. */
  static Java8 open() throws IOException {
    Path file = Path.of(System.getProperty("java.home"), "lib", "ct.sym");
    if (!Files.exists(file)) {
      throw new IllegalStateException(file + " does not exist; the build needs a JDK, not a JRE");
    }
    return new Java8(new ZipFile(file.toFile()));
  }

  /** A class without code; null if Java 8 does not have it, or hides its members. */
  ClassNode find(String name) {
    ZipEntry entry = entries.get(name);
    return entry == null ? null : read.computeIfAbsent(name, any -> read(entry));
  }

  private ClassNode read(ZipEntry entry) {
    try (InputStream bytes = data.getInputStream(entry)) {
      ClassNode node = new ClassNode();
      new ClassReader(bytes).accept(node, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG);
      return node;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether a class is part of the JDK, but not of Java 8. */
  boolean lacks(String name) {
    return !entries.containsKey(name)
        && !UNDOCUMENTED.contains(name)
        && lacking.computeIfAbsent(name, Java8::isInThisJdk);
  }

  private static boolean isInThisJdk(String name) {
    return ClassLoader.getPlatformClassLoader().getResource(name + ".class") != null;
  }

  @Override
  public void close() throws IOException {
    data.close();
  }
}
