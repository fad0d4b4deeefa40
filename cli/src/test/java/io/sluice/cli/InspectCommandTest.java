package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InspectCommandTest {
  @TempDir Path dir;
  private Path run;
  private byte[] golden;

  @BeforeEach
  void writeGoldenRun() throws IOException {
    try (InputStream in = getClass().getResourceAsStream("/golden/run-v1.bin")) {
      golden = in.readAllBytes();
    }
    run = Files.write(dir.resolve("1.run"), golden);
  }

  @Test
  void printsAndVerifiesARun() {
    CliRun whole = CliRun.of("inspect", run.toString());

    assertThat(whole.exitCode()).isZero();
    assertThat(whole.err()).isEmpty();
    assertThat(whole.out())
        .startsWith(
            run
                + ": run 00112233445566778899aabbccddeeff, application app-20261121-0001, "
                + "shuffle 7")
        .contains(golden.length + " bytes")
        .endsWith("verified: every block matches its checksum and the index\n");
    assertThat(whole.out().lines().filter(line -> line.matches("\\s*3 .*"))).hasSize(1);
  }

  @Test
  void printsTheBlocksOfOnePartition() {
    CliRun all = CliRun.of("inspect", "--blocks", run.toString());
    CliRun one = CliRun.of("inspect", "--blocks", "--partition", "3", run.toString());

    assertThat(one.exitCode()).isZero();
    assertThat(one.out()).contains("sequence").contains("LAST");
    assertThat(all.out().lines().count()).isGreaterThan(one.out().lines().count());
  }

  @Test
  void namesTheFileAndOffsetOfADamagedByte() throws IOException {
    golden[golden.length / 4] ^= 1;
    Files.write(run, golden);

    CliRun damaged = CliRun.of("inspect", run.toString());

    assertThat(damaged.exitCode()).isEqualTo(1);
    assertThat(damaged.err().lines()).hasSize(1);
    assertThat(damaged.err()).contains(run.toString()).containsPattern("offset=?\\s?\\d+");
  }

  @Test
  void reportsATruncatedFile() throws IOException {
    Files.write(run, java.util.Arrays.copyOf(golden, golden.length - 1));

    CliRun truncated = CliRun.of("inspect", run.toString());

    assertThat(truncated.exitCode()).isEqualTo(1);
    assertThat(truncated.err().lines()).hasSize(1);
    assertThat(truncated.err()).contains(run.toString());
  }

  @Test
  void reportsAPathThatIsNoFileInOneLine() {
    for (Path wrong : new Path[] {dir, dir.resolve("none")}) {
      CliRun missing = CliRun.of("inspect", wrong.toString());

      assertThat(missing.exitCode()).isEqualTo(1);
      assertThat(missing.err()).isEqualTo("sluice inspect: " + wrong + " is not a file\n");
    }
  }
}
