package io.sluice.coordinator.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.fuzz.DecoderFuzz;
import io.sluice.coordinator.cluster.ExcludeList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExcludeFileFuzzTest {
  @TempDir Path directory;

  @Test
  void readsAnyFile() {
    Path path = directory.resolve("excluded");
    DecoderFuzz.of("a:1\nb-2\nc-3-4 # broken disk\n\n# host\nd", "e:1\n")
        .words("\n", "\r", "#", " ", "\t", "\u0085", "\u2028", "\u0000", "e:1")
        .refusing(IOException.class)
        .run(
            input -> {
              Files.write(path, input);
              ExcludeList list = new ExcludeFile(path).read();
              assertThat(list.sorted())
                  .allMatch(entry -> !entry.isEmpty() && entry.equals(ExcludeList.entry(entry)));
              assertThat(ExcludeList.parse(list.sorted())).isEqualTo(list);
            });
  }
}
