package io.sluice.downgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.backport.Crc32C;
import io.sluice.downgrade.sample.Language;
import io.sluice.downgrade.sample.Library;
import io.sluice.downgrade.sample.TooNew;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;

/**
 * Downgrades the classes of the package {@code sample}. This JVM applies the rules of Java 8 to
 * classes with its version, such as those for private members; whether Java 8 has the members that
 * they use is what the downgrade itself checks.
 */
class DowngradeJarTest {
  private static final int JAVA_8 = 52;
  private static final int JAVA_11 = 55;
  private static final String RELOCATED_NAME = LibraryUse.RELOCATED.replace('/', '.');

  @TempDir private Path directory;
  private Path jar;

  @BeforeEach
  void setUp() {
    jar = directory.resolve("sample.jar");
  }

  @ParameterizedTest
  @ValueSource(classes = {Language.class, Library.class})
  void downgradedClassesBehaveTheSame(Class<? extends Supplier<String>> sample) throws Exception {
    writeJar(Language.class, Library.class);

    DowngradeJar.downgrade(jar, List.of(), List.of());

    String expected = sample.getDeclaredConstructor().newInstance().get();
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {jar.toUri().toURL()}, ClassLoader.getPlatformClassLoader())) {
      Object downgraded = loader.loadClass(sample.getName()).getDeclaredConstructor().newInstance();
      assertThat(downgraded.getClass()).isNotSameAs(sample);
      assertThat(((Supplier<?>) downgraded).get()).isEqualTo(expected);
    }
    assertThat(versions()).containsOnly(JAVA_8);
  }

  @Test
  void aDowngradedJarDoesNotChange() throws IOException {
    writeJar(Language.class, Library.class);
    DowngradeJar.downgrade(jar, List.of(), List.of());
    byte[] first = Files.readAllBytes(jar);

    DowngradeJar.downgrade(jar, List.of(), List.of());

    assertThat(Files.readAllBytes(jar)).isEqualTo(first);
  }

  @Test
  void refusesAJarThatUsesWhatJava8Lacks() throws IOException {
    writeJar(Library.class, TooNew.class);
    byte[] before = Files.readAllBytes(jar);

    assertThatThrownBy(() -> DowngradeJar.downgrade(jar, List.of(), List.of()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("sample.jar does not run on Java 8")
        .hasMessageContaining(
            "io/sluice/downgrade/sample/TooNew uses java/lang/Thread.onSpinWait()V")
        .hasMessageContaining("io/sluice/downgrade/sample/TooNew uses java/lang/ProcessHandle");
    assertThat(jar).hasBinaryContent(before);
  }

  @Test
  void replacementsCanBeInAnotherJar() throws IOException {
    writeJar(Library.class);
    Path backports = directory.resolve("backports.jar");
    Files.move(jar, backports);
    try (JarOutputStream output = new JarOutputStream(Files.newOutputStream(jar))) {
      addClasses(output, Library.class);
    }

    DowngradeJar.downgrade(jar, List.of(backports), List.of());

    assertThat(versions()).containsOnly(JAVA_8);
  }

  @Test
  void classesOfLibrariesForNewerVersionsMove() throws IOException {
    String library = LibraryUse.RELOCATED + "Newer.class";
    try (JarOutputStream output = new JarOutputStream(Files.newOutputStream(jar), manifest())) {
      byte[] bytes = bytesOf(TooNew.class);
      bytes[7] = JAVA_11;
      add(output, library, bytes);
      add(output, "META-INF/services/Service", serviceFile("Newer"));
    }

    DowngradeJar.downgrade(jar, List.of(), List.of());

    try (JarFile file = new JarFile(jar.toFile())) {
      assertThat(file.getEntry(library)).isNull();
      assertThat(file.getEntry("META-INF/versions/11/" + library)).isNotNull();
      assertThat(file.getManifest().getMainAttributes().getValue("Multi-Release"))
          .isEqualTo("true");
    }
  }

  @Test
  void expectedUsesOfLibrariesMustExist() throws IOException {
    writeJar(Library.class);

    assertThatThrownBy(
            () ->
                DowngradeJar.downgrade(
                    jar, List.of(), List.of(new LibraryUse("org/Some", "java/lang/Module"))))
        .hasMessageContaining("org/Some java/lang/Module: no class uses it any longer");
  }

  @Test
  void classesOfLibrariesThatNothingNeedsAreRemoved() throws IOException {
    try (JarOutputStream output = new JarOutputStream(Files.newOutputStream(jar), manifest())) {
      add(
          output,
          "io/sluice/User.class",
          classWith("io/sluice/User", RELOCATED_NAME + "LoadedByName"));
      addLibrary(output, "LoadedByName", "(Lio/sluice/shaded/InDescriptor;)V");
      addLibrary(output, "InDescriptor", "Ljava/util/List<Lio/sluice/shaded/InSignature;>;");
      addLibrary(output, "InSignature");
      addLibrary(output, "Provider", LibraryUse.RELOCATED + "OfProvider");
      addLibrary(output, "OfProvider");
      add(output, "META-INF/services/Service", serviceFile("Provider"));
      addLibrary(output, "io/netty/channel/unix/OfNativeCode");
      addLibrary(output, "Unused", LibraryUse.RELOCATED + "OfUnused");
      addLibrary(output, "OfUnused", LibraryUse.RELOCATED + "Unused");
      String unused = LibraryUse.RELOCATED + "Unused";
      add(output, "META-INF/versions/9/" + unused + ".class", classWith(unused));
    }

    DowngradeJar.downgrade(jar, List.of(), List.of());

    assertThat(classNames())
        .containsExactly(
            "io/sluice/User",
            LibraryUse.RELOCATED + "LoadedByName",
            LibraryUse.RELOCATED + "InDescriptor",
            LibraryUse.RELOCATED + "InSignature",
            LibraryUse.RELOCATED + "Provider",
            LibraryUse.RELOCATED + "OfProvider",
            LibraryUse.RELOCATED + "io/netty/channel/unix/OfNativeCode");
  }

  private static void addLibrary(JarOutputStream output, String name, String... constants)
      throws IOException {
    String className = LibraryUse.RELOCATED + name;
    add(output, className + ".class", classWith(className, constants));
  }

  /** A class with strings in its constants. */
  private static byte[] classWith(String name, String... constants) {
    ClassWriter writer = new ClassWriter(0);
    writer.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", null);
    for (String constant : constants) {
      writer.newUTF8(constant);
    }
    writer.visitEnd();
    return writer.toByteArray();
  }

  private static byte[] serviceFile(String provider) {
    return (RELOCATED_NAME + provider + "\n").getBytes(StandardCharsets.UTF_8);
  }

  private static void add(JarOutputStream output, String name, byte[] bytes) throws IOException {
    output.putNextEntry(new ZipEntry(name));
    output.write(bytes);
    output.closeEntry();
  }

  private List<String> classNames() throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      return file.stream()
          .map(JarEntry::getName)
          .filter(name -> name.endsWith(".class"))
          .map(name -> name.substring(0, name.length() - ".class".length()))
          .toList();
    }
  }

  /** Writes a jar with classes, their nested classes, and the backports. */
  private void writeJar(Class<?>... classes) throws IOException {
    try (JarOutputStream output = new JarOutputStream(Files.newOutputStream(jar), manifest())) {
      addClasses(output, classes);
      addPackage(output, Crc32C.class, "");
    }
  }

  private static Manifest manifest() {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().putValue("Manifest-Version", "1.0");
    return manifest;
  }

  private static void addClasses(JarOutputStream output, Class<?>... classes) throws IOException {
    for (Class<?> type : classes) {
      addPackage(output, type, type.getSimpleName());
    }
  }

  /** Adds the classes in the package of a class whose names begin with a prefix. */
  private static void addPackage(JarOutputStream output, Class<?> type, String prefix)
      throws IOException {
    Path classes = classes(type);
    if (Files.isDirectory(classes)) {
      addPackage(output, classes, type.getPackageName(), prefix);
    } else {
      try (FileSystem packaged = FileSystems.newFileSystem(classes)) {
        addPackage(output, packaged.getPath("/"), type.getPackageName(), prefix);
      }
    }
  }

  private static void addPackage(
      JarOutputStream output, Path classes, String packageName, String prefix) throws IOException {
    String name = packageName.replace('.', '/') + "/";
    try (Stream<Path> files = Files.list(classes.resolve(name))) {
      for (Path file : (Iterable<Path>) files.sorted()::iterator) {
        if (file.getFileName().toString().startsWith(prefix)) {
          output.putNextEntry(new ZipEntry(name + file.getFileName()));
          Files.copy(file, output);
          output.closeEntry();
        }
      }
    }
  }

  private static Path classes(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] bytesOf(Class<?> type) throws IOException {
    return Files.readAllBytes(classes(type).resolve(type.getName().replace('.', '/') + ".class"));
  }

  private List<Integer> versions() throws IOException {
    List<Integer> versions = new ArrayList<>();
    try (JarFile file = new JarFile(jar.toFile())) {
      for (JarEntry entry : (Iterable<JarEntry>) file.stream()::iterator) {
        if (entry.getName().endsWith(".class")) {
          versions.add(
              new ClassReader(file.getInputStream(entry).readAllBytes()).readUnsignedShort(6));
        }
      }
    }
    return versions;
  }
}
