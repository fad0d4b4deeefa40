package io.sluice.server.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerDirectoryTest {
  @TempDir private Path directory;
  private Path first;
  private Path second;

  @BeforeEach
  void makeDirectories() throws IOException {
    first = Files.createDirectory(directory.resolve("first"));
    second = Files.createDirectory(directory.resolve("second"));
  }

  @Test
  void keepsItsNameAcrossRestarts() throws IOException {
    ServerDirectory made = in(List.of(first, second), "Host.example", 1);
    assertThat(made.name()).matches("Host\\.example_[0-9a-f]{16}");
    assertThat(made.catalog()).isEqualTo(first.resolve("remote/catalog"));
    Files.createDirectory(made.catalog());
    assertThat(in(List.of(first, second), "other", 2)).isEqualTo(made);
    ServerDirectory swapped = in(List.of(second, first), "other", 2);
    assertThat(swapped.name()).isEqualTo(made.name());
    assertThat(swapped.catalog()).isEqualTo(made.catalog());
    assertThat(swapped.orphans()).isEmpty();
  }

  @Test
  void knowsItsOldNameAfterTheLossOfItsCatalog() throws IOException {
    ServerDirectory made = in(List.of(first, second), "h", 1);
    Files.createDirectory(made.catalog());
    AdoptedDirectories.read(made.adopted()).add("other_1", "other:1");
    Path empty = Files.createDirectory(directory.resolve("empty"));

    for (int start = 0; start < 2; start++) {
      ServerDirectory later = in(List.of(empty, second), "h", 2);
      assertThat(later.name()).isNotEqualTo(made.name());
      assertThat(later.catalog()).isEqualTo(empty.resolve("remote/catalog"));
      assertThat(later.orphans()).containsExactly(made.name());
      Files.createDirectories(later.catalog());
    }
    in(List.of(empty, second), "h", 3).orphansAdopted();
    ServerDirectory last = in(List.of(empty, second), "h", 4);
    assertThat(last.orphans()).isEmpty();

    // The lost directory returns.
    ServerDirectory both = in(List.of(first, empty, second), "h", 5);
    assertThat(both.name()).isEqualTo(made.name());
    assertThat(both.orphans()).containsExactly(last.name());
    assertThat(both.renamed(new Random(6)).orphans()).containsExactly(last.name());
  }

  @Test
  void namesAreUnique() throws IOException {
    assertThat(in(List.of(first), "h", 1).name()).isNotEqualTo(in(List.of(second), "h", 2).name());
  }

  @Test
  void derivesAValidNameFromAnyHost() throws IOException {
    assertThat(in(List.of(first), "[fe80::1%eth0]/..", 1).name())
        .matches("fe80--1-eth0--\\.\\._[0-9a-f]{16}");
    assertThat(in(List.of(second), "..", 1).name()).matches("server_[0-9a-f]{16}");
  }

  @Test
  void refusesAnInvalidName() throws IOException {
    Files.createDirectory(first.resolve("remote"));
    Files.writeString(first.resolve("remote/name"), "../other\n");
    assertThatThrownBy(() -> in(List.of(first), "h", 1))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("remote/name does not contain a directory name")
        .hasMessageNotContaining("\n");
  }

  private static ServerDirectory in(List<Path> bases, String host, long seed) throws IOException {
    return ServerDirectory.in(bases, host, new Random(seed));
  }
}
