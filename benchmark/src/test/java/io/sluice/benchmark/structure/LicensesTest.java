package io.sluice.benchmark.structure;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.docs.Checkout;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The check of licences of shipped libraries, {@code deploy/licenses}, on small repositories. */
class LicensesTest {
  private static final Path HOME = Checkout.root().resolve("deploy/licenses");

  @TempDir private Path directory;

  private record Outcome(int exitCode, String output) {}

  private Outcome run(String... classPaths) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                HOME.resolve("Licenses.java").toString(),
                HOME.toString(),
                directory.resolve("out").toString(),
                String.join(":", classPaths))
            .redirectErrorStream(true)
            .start();
    try (InputStream output = process.getInputStream()) {
      process.getOutputStream().close();
      String text = new String(output.readAllBytes(), StandardCharsets.UTF_8);
      return new Outcome(process.waitFor(), text);
    } finally {
      process.destroyForcibly();
    }
  }

  /** Creates a library in a local repository and returns its jar. */
  private String library(String group, String artifact, String pom, Map<String, String> files)
      throws IOException {
    Path folder =
        directory.resolve("repository/" + group.replace('.', '/') + "/" + artifact + "/1");
    Files.createDirectories(folder);
    Files.writeString(
        folder.resolve(artifact + "-1.pom"),
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><artifactId>"
            + artifact
            + "</artifactId><version>1</version>"
            + pom
            + "</project>");
    Path jar = folder.resolve(artifact + "-1.jar");
    try (OutputStream out = Files.newOutputStream(jar);
        ZipOutputStream zip = new ZipOutputStream(out)) {
      for (Map.Entry<String, String> file : files.entrySet()) {
        zip.putNextEntry(new ZipEntry(file.getKey()));
        zip.write(file.getValue().getBytes(StandardCharsets.UTF_8));
        zip.closeEntry();
      }
    }
    return jar.toString();
  }

  private static String licensed(String group, String... names) {
    StringBuilder pom = new StringBuilder("<groupId>" + group + "</groupId><licenses>");
    for (String name : names) {
      pom.append("<license><name>").append(name).append("</name></license>");
    }
    return pom.append("</licenses>").toString();
  }

  @Test
  void writesTextsAndNoticesOfAllLibraries() throws IOException, InterruptedException {
    String parent =
        "<parent><groupId>org.parent</groupId><artifactId>parent</artifactId><version>1</version>"
            + "</parent>";
    library(
        "org.parent", "parent", licensed("org.parent", "Apache License,\n Version 2.0"), Map.of());
    String apache = Checkout.text("LICENSE") + "\nThe part x has other terms: be kind.\n";
    List<String> jars =
        List.of(
            library("org.parent", "child", parent, Map.of("META-INF/NOTICE", "By the child.\n")),
            library(
                "org.mit",
                "mit",
                licensed("org.mit", "GPL 3", "mit  license"),
                Map.of("META-INF/LICENSE.txt", "Copyright of the author.\n")),
            library(
                "org.mixed",
                "mixed",
                licensed("org.mixed", "Apache-2.0"),
                Map.of("LICENSE", apache)),
            library("org.eclipse", "epl", licensed("org.eclipse", "EPL-2.0"), Map.of()));

    Outcome outcome = run(jars.toArray(String[]::new));

    assertThat(outcome.exitCode()).as(outcome.output()).isZero();
    String license = Files.readString(directory.resolve("out/LICENSE"));
    assertThat(license)
        .startsWith(Checkout.text("LICENSE"))
        .contains("org.parent:child:1: Apache-2.0\n", "org.mit:mit:1: MIT\n")
        .contains("Copyright of the author.", "The part x has other terms: be kind.")
        .contains("Eclipse Public License - v 2.0")
        .containsOnlyOnce("TERMS AND CONDITIONS FOR USE, REPRODUCTION");
    assertThat(Files.readString(directory.resolve("out/NOTICE")))
        .startsWith(Checkout.text("NOTICE"))
        .contains("org.parent:child:1\n\nBy the child.\n");
  }

  @Test
  void refusesLicencesThatAreNotAllowed() throws IOException, InterruptedException {
    String jar =
        library("org.gpl", "gpl", licensed("org.gpl", "GNU General Public License v3"), Map.of());

    Outcome outcome = run(jar);

    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.output())
        .contains("org.gpl:gpl:1 has no allowed licence", "GNU General Public License v3");
  }

  @Test
  void refusesLibrariesWithoutALicence() throws IOException, InterruptedException {
    Outcome outcome = run(library("org.none", "none", "<groupId>org.none</groupId>", Map.of()));

    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.output()).contains("org.none:none:1 has no allowed licence");
  }

  @Test
  void refusesALicenceThatNamesItsAuthorsWithoutItsText() throws IOException, InterruptedException {
    Outcome outcome = run(library("org.mit", "mit", licensed("org.mit", "MIT"), Map.of()));

    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.output()).contains("add deploy/licenses/texts/org.mit.txt");
  }
}
