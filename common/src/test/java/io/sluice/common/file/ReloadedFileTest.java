package io.sluice.common.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReloadedFileTest {
  @TempDir Path directory;

  private final AtomicLong nanos = new AtomicLong();

  @Test
  void readsAgainWhatHasChangedAndKeepsWhatItKnewWhenThatIsWrong() throws Exception {
    Path file = directory.resolve("secret");
    Files.writeString(file, "1");
    ReloadedFile<Integer> number = ReloadedFile.of(file, Integer::valueOf, nanos::get);
    Files.writeString(file, "22");
    assertThat(number.get()).as("not looked at yet").isEqualTo(1);
    later();
    assertThat(number.get()).isEqualTo(22);
    Files.writeString(file, "not a number");
    later();
    assertThat(number.get()).isEqualTo(22);
    Files.delete(file);
    later();
    assertThat(number.get()).isEqualTo(22);
    Files.writeString(file, "4444");
    later();
    assertThat(number.get()).isEqualTo(4444);
  }

  private void later() {
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(3));
  }

  @Test
  void saysWhichFileIsWrongAtTheStart() throws Exception {
    Path file = directory.resolve("none");
    assertThatThrownBy(() -> ReloadedFile.of(file, Integer::valueOf, nanos::get))
        .isInstanceOf(IOException.class)
        .hasMessage(file + ": no such file");
  }
}
