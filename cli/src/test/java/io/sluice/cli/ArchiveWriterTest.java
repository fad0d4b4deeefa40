package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.localcluster.ClassDataArchive;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class ArchiveWriterTest {
  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");
  private static final String PROGRAM = ArchivedProgram.class.getName();

  @TempDir Path directory;
  private Path jar;
  private Path archive;
  private ArchiveWriter writer;

  @BeforeEach
  void makeJar() throws IOException {
    jar = directory.resolve("program.jar");
    archive = directory.resolve("lib/program.jsa");
    writeJar("program.txt");
    Path list =
        Files.writeString(
            directory.resolve("classes"),
            "java/lang/Object\n" + PROGRAM.replace('.', '/') + "\nio/sluice/NotThere\n");
    writer = new ArchiveWriter(JAVA, jar.toString(), list);
  }

  private void writeJar(String resource) throws IOException {
    String program = PROGRAM.replace('.', '/') + ".class";
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
        InputStream in = ArchivedProgram.class.getClassLoader().getResourceAsStream(program)) {
      out.putNextEntry(new JarEntry(program));
      in.transferTo(out);
      out.putNextEntry(new JarEntry(resource));
    }
  }

  private List<String> run(String... options) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(JAVA.toString()));
    command.addAll(new ClassDataArchive(archive).jvmOptions());
    command.addAll(List.of(options));
    command.addAll(List.of("-cp", jar + ":" + directory.resolve("later.jar"), PROGRAM));
    Path out = directory.resolve("out");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile()).start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.exitValue()).as(Files.readString(out)).isZero();
    return Files.readAllLines(out);
  }

  private List<String> filesBesideTheArchive() throws IOException {
    try (Stream<Path> files = Files.list(archive.getParent())) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  @Test
  void aJvmLoadsListedClassesFromTheArchive() throws Exception {
    writer.write(archive, PROGRAM, "argument");

    assertThat(run("-Xlog:class+load"))
        .anyMatch(line -> line.contains(PROGRAM) && line.contains("shared objects file"))
        .contains("arguments=0");
    assertThat(filesBesideTheArchive()).containsExactly("program.jsa");
  }

  @Test
  void aJvmIgnoresAnArchiveOfAnotherJar() throws Exception {
    writer.write(archive, PROGRAM);
    writeJar("another-resource.txt");

    assertThat(run()).containsExactly("arguments=0");
  }

  @Test
  void aJvmWithoutAnArchiveGetsNoOptions() throws Exception {
    assertThat(new ClassDataArchive(archive).jvmOptions()).isEmpty();
    assertThat(run()).containsExactly("arguments=0");
  }

  @Test
  void anArchiveWithWhichTheProgramFailsReplacesNone() throws Exception {
    Files.createDirectories(archive.getParent());
    Files.writeString(archive, "earlier");

    assertThatThrownBy(() -> writer.write(archive, "io.sluice.NotThere"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("io.sluice.NotThere");

    assertThat(archive).hasContent("earlier");
    assertThat(filesBesideTheArchive()).containsExactly("program.jsa");
  }

  @Test
  void aMissingListIsNamed() {
    Path missing = directory.resolve("missing");
    assertThatThrownBy(
            () -> new ArchiveWriter(JAVA, jar.toString(), missing).write(archive, PROGRAM))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(missing.toString());
  }
}
