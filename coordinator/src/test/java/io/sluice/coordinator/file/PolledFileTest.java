package io.sluice.coordinator.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PolledFileTest {
  @TempDir Path directory;
  private Path path;

  @BeforeEach
  void write() throws IOException {
    path = directory.resolve("number");
    Files.writeString(path, "1");
  }

  private PolledFile<Integer> file() throws IOException {
    return new PolledFile<>(path, Integer::valueOf);
  }

  @Test
  void readsWhatTheFileSaysNow() throws IOException {
    PolledFile<Integer> file = file();
    assertThat(file.read()).isEqualTo(1);
    Files.writeString(path, "2");
    assertThat(file.read()).isEqualTo(2);
  }

  @Test
  void keepsTheLastGoodOneWhileTheFileIsWrongOrGone() throws IOException {
    PolledFile<Integer> file = file();
    Files.writeString(path, "many");
    assertThat(file.read()).isEqualTo(1);
    Files.delete(path);
    assertThat(file.read()).isEqualTo(1);
    Files.write(path, new byte[] {(byte) 0xff, (byte) 0xfe, (byte) 0xfd});
    assertThat(file.read()).isEqualTo(1);
    Files.writeString(path, "3");
    assertThat(file.read()).isEqualTo(3);
  }

  @Test
  void refusesToBeginWithAFileThatIsWrongInOneLineThatNamesIt() throws IOException {
    Files.writeString(path, "many");
    assertThatThrownBy(this::file)
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(path + ": ")
        .hasMessageContaining("many");
    Files.delete(path);
    assertThatThrownBy(this::file).hasMessage(path + ": no such file");
    Files.write(path, new byte[(1 << 20) + 1]);
    assertThatThrownBy(this::file).hasMessageContaining("at most 1048576 are read");
  }
}
