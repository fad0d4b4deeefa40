package io.sluice.server.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

class DiskFaultTest {
  @Test
  void distinguishesAFullDiskFromAFaultyOne() {
    expect(DiskFault.FULL, new IOException("No space left on device"));
    expect(DiskFault.FULL, new IOException("Disk quota exceeded"));
    expect(DiskFault.READ_ONLY, new FileSystemException("/d/x", null, "Read-only file system"));
    expect(DiskFault.ABSENT, new NoSuchFileException("/d/x"));
    expect(DiskFault.ABSENT, new IOException("catalog /d: No such file or directory"));
    expect(DiskFault.FAILED, new IOException("Input/output error"));
    expect(DiskFault.FAILED, new IOException("Invalid argument"));
    expect(DiskFault.FAILED, new IOException((String) null));
  }

  @Test
  void lackOfMemoryOrDescriptorsIsUnrelatedToTheDisk() {
    expect(DiskFault.UNRELATED, new FileSystemException("/d/x", null, "Too many open files"));
    expect(DiskFault.UNRELATED, new IOException("/d/x: Too many open files in system"));
    expect(DiskFault.UNRELATED, new IOException("Cannot allocate memory"));
    expect(DiskFault.UNRELATED, new IOException("Map failed", new OutOfMemoryError("Map failed")));
    expect(
        DiskFault.UNRELATED,
        new IOException("run cannot be merged", new IOException("Cannot allocate memory")));
  }

  private static void expect(DiskFault fault, IOException problem) {
    assertThat(DiskFault.of(problem)).isEqualTo(fault);
  }
}
