package io.sluice.coordinator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.fuzz.DecoderFuzz;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExcludeFileFuzzTest {
  private static final String ADDED = "added.example.org:19999";

  @TempDir Path directory;

  @Test
  void aFileIsRefusedOrKeepsWhatItSaysWhenAnEntryComesAndGoes() {
    Path path = directory.resolve("excluded");
    DecoderFuzz.of("a:1\nb-2\nc-3-4 # broken disk\n\n# host\nd", ADDED + "\n")
        .words("\n", "\r", "#", " ", "\t", "\u0085", "\u2028", "\u0000", ADDED)
        .refusing(IOException.class)
        .run(
            input -> {
              Files.write(path, input);
              ExcludeFile file = new ExcludeFile(path);
              file.add(ADDED);
              ExcludeList list = file.read();
              assertThat(list.contains(ADDED)).isTrue();
              assertThat(list.sorted())
                  .allMatch(entry -> !entry.isEmpty() && entry.equals(ExcludeList.entry(entry)));
              file.remove(Set.of(ADDED));
              assertThat(file.read()).isEqualTo(list.without(Set.of(ADDED)));
            });
  }
}
