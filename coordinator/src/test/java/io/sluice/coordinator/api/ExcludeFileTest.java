package io.sluice.coordinator.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.file.WatchedFile;
import io.sluice.coordinator.cluster.ExcludeList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExcludeFileTest {
  @TempDir Path directory;
  private Path path;
  private ExcludeFile file;

  @BeforeEach
  void nameFile() {
    path = directory.resolve("exclude");
    file = new ExcludeFile(path);
  }

  @Test
  void followsTheFile() throws IOException {
    assertThat(file.read()).isEqualTo(ExcludeList.empty());
    Files.writeString(path, "a:1\nb:1\n");
    assertThat(file.read()).isEqualTo(ExcludeList.parse(List.of("a:1", "b:1")));
    Files.writeString(path, "b:1");
    assertThat(file.read()).isEqualTo(ExcludeList.parse(List.of("b:1")));
    Files.delete(path);
    assertThat(file.read()).isEqualTo(ExcludeList.empty());
  }

  @Test
  void keepsTheListIfTheFileIsNotText() throws IOException {
    Files.writeString(path, "a:1");
    ExcludeList before = file.read();
    Files.write(path, new byte[] {(byte) 0xff, (byte) 0xfe, 0});
    assertThat(file.read()).isSameAs(before);
  }

  @Test
  void keepsTheListIfTheFileIsADirectoryOrTooLong() throws IOException {
    Files.writeString(path, "a:1");
    ExcludeList before = file.read();
    Files.writeString(path, "b:1\n".repeat(WatchedFile.MAX_BYTES / 4 + 1));
    assertThat(file.read()).isSameAs(before);
    Files.delete(path);
    Files.createDirectory(path);
    assertThat(file.read()).isSameAs(before);
  }
}
