package io.sluice.downgrade;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.ClassNode;

/**
 * Makes a jar run on Java 8, in place: rewrites its classes, and checks that it uses nothing that
 * Java 8 lacks. Classes of libraries that are for newer versions of Java only move to the directory
 * that only those versions read; those that nothing needs are removed. A jar that was downgraded
 * before does not change.
 */
public final class DowngradeJar {
  private static final String CLASS = ".class";
  private static final String META = "META-INF/";
  private static final String VERSIONS = META + "versions/";

  /** Class version of Java 1.0; each release of Java is one more. */
  private static final int VERSION_ZERO = 44;

  private static final Attributes.Name MULTI_RELEASE = new Attributes.Name("Multi-Release");
  private static final Attributes.Name JAVA_VERSION = new Attributes.Name("Java-Version");

  /** In the order of the jar. */
  private final Map<String, Entry> entries = new LinkedHashMap<>();

  /** All classes outside of META-INF, by name. */
  private final Map<String, ClassNode> headers = new HashMap<>();

  /** Bytes of an entry, and its time. */
  @SuppressWarnings(
      "ArrayRecordComponent") // Compared nowhere, and not copied because jars are large.
  private record Entry(byte[] bytes, long time) {}

  private DowngradeJar() {}

  /**
   * Downgrades a jar.
   *
   * @param arguments the jar; jars that will be beside it and have classes that replace missing
   *     ones
   */
  public static void main(String[] arguments) throws IOException {
    List<Path> jars = Arrays.stream(arguments).map(Path::of).toList();
    boolean hasLibraries = jars.size() == 1;
    downgrade(
        jars.get(0),
        jars.subList(1, jars.size()),
        hasLibraries ? LibraryUse.ofClientJars() : List.of());
  }

  /**
   * @param provided jars with classes that the downgraded jar may use
   * @param libraryUses expected uses of newer classes
   * @throws IllegalStateException if the jar needs something that Java 8 lacks; it is not changed
   */
  static void downgrade(Path jar, List<Path> provided, List<LibraryUse> libraryUses)
      throws IOException {
    DowngradeJar downgrade = new DowngradeJar();
    downgrade.read(jar);
    for (Path other : provided) {
      downgrade.readHeaders(other);
    }
    try (Java8 java8 = Java8.open()) {
      List<String> problems = downgrade.downgrade(java8, libraryUses);
      if (!problems.isEmpty()) {
        throw new IllegalStateException(
            jar.getFileName()
                + " does not run on Java 8. Use other methods, or add replacements to the module"
                + " backport:\n  "
                + String.join("\n  ", problems));
      }
    }
    downgrade.write(jar);
  }

  private void read(Path jar) throws IOException {
    try (ZipInputStream input = new ZipInputStream(Files.newInputStream(jar))) {
      for (ZipEntry entry = input.getNextEntry(); entry != null; entry = input.getNextEntry()) {
        entries.put(entry.getName(), new Entry(input.readAllBytes(), entry.getTime()));
      }
    }
    Map<String, byte[]> contents = new HashMap<>();
    entries.forEach((name, entry) -> contents.put(name, entry.bytes()));
    entries.keySet().removeAll(UnusedClasses.in(contents));
    entries.forEach((name, entry) -> addHeader(name, entry.bytes()));
  }

  private void readHeaders(Path jar) throws IOException {
    try (ZipInputStream input = new ZipInputStream(Files.newInputStream(jar))) {
      for (ZipEntry entry = input.getNextEntry(); entry != null; entry = input.getNextEntry()) {
        addHeader(entry.getName(), input.readAllBytes());
      }
    }
  }

  private void addHeader(String entry, byte[] bytes) {
    if (isClass(entry)) {
      ClassNode header = new ClassNode();
      new ClassReader(bytes).accept(header, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG);
      headers.putIfAbsent(header.name, header);
    }
  }

  private static boolean isClass(String entry) {
    return entry.endsWith(CLASS) && !entry.startsWith(META);
  }

  private static int version(byte[] bytes) {
    return new ClassReader(bytes).readUnsignedShort(6);
  }

  /** Returns the problems that are left. */
  private List<String> downgrade(Java8 java8, List<LibraryUse> libraryUses) throws IOException {
    moveNewerLibraryClasses();
    KnownClasses known = new KnownClasses(headers, java8);
    ClassDowngrader downgrader =
        new ClassDowngrader(known, new Replacements(List.copyOf(headers.values())));
    Map<String, ClassNode> changed = new LinkedHashMap<>();
    entries.forEach(
        (name, entry) -> {
          if (isClass(name) && version(entry.bytes()) > Opcodes.V1_8) {
            ClassNode node = downgrader.read(entry.bytes());
            changed.put(node.name, node);
          }
        });
    headers.putAll(changed);
    new Nests(changed).open();
    changed.values().forEach(downgrader::downgrade);
    changed.forEach((name, node) -> replace(name + CLASS, ClassDowngrader.write(node)));
    markJavaVersion();

    Map<String, byte[]> checked = new LinkedHashMap<>();
    entries.forEach(
        (name, entry) -> {
          if (isClass(name)) {
            checked.put(name.substring(0, name.length() - CLASS.length()), entry.bytes());
          }
        });
    return new JarCheck(known, java8, libraryUses).check(checked);
  }

  private void replace(String name, byte[] bytes) {
    entries.put(name, new Entry(bytes, entries.get(name).time()));
  }

  private void moveNewerLibraryClasses() {
    for (String name : new ArrayList<>(entries.keySet())) {
      if (isClass(name) && name.startsWith(LibraryUse.RELOCATED)) {
        int version = version(entries.get(name).bytes());
        if (version > Opcodes.V1_8) {
          entries.put(VERSIONS + (version - VERSION_ZERO) + "/" + name, entries.remove(name));
        }
      }
    }
  }

  private void markJavaVersion() throws IOException {
    Entry entry = entries.get(JarFile.MANIFEST_NAME);
    if (entry == null) {
      return;
    }
    Manifest manifest = new Manifest(new ByteArrayInputStream(entry.bytes()));
    Attributes attributes = manifest.getMainAttributes();
    attributes.put(JAVA_VERSION, "8");
    if (entries.keySet().stream().anyMatch(name -> name.startsWith(VERSIONS))) {
      attributes.put(MULTI_RELEASE, "true");
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    manifest.write(bytes);
    replace(JarFile.MANIFEST_NAME, bytes.toByteArray());
  }

  /** Replaces the jar at once, so that no other process sees a part of it. */
  private void write(Path jar) throws IOException {
    Path written = jar.resolveSibling(jar.getFileName() + ".downgraded");
    try (OutputStream file = Files.newOutputStream(written);
        ZipOutputStream output = new ZipOutputStream(file)) {
      output.setLevel(Deflater.BEST_COMPRESSION);
      for (Map.Entry<String, Entry> entry : entries.entrySet()) {
        ZipEntry header = new ZipEntry(entry.getKey());
        header.setTime(entry.getValue().time());
        output.putNextEntry(header);
        output.write(entry.getValue().bytes());
        output.closeEntry();
      }
    }
    Files.move(written, jar, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
  }
}
