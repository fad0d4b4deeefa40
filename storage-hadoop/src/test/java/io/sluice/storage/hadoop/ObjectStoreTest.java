package io.sluice.storage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.server.remote.RemoteFileSystemContract;
import io.sluice.server.remote.spi.RemoteFileSystem;
import io.sluice.server.remote.spi.RemoteOutput;
import io.sluice.server.remote.spi.RemoteSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file system without rename and append, in which files appear when they are complete. */
class ObjectStoreTest extends RemoteFileSystemContract {
  @TempDir private Path directory;

  @Override
  protected RemoteFileSystem openEmpty() throws IOException {
    return open(Map.of());
  }

  @Test
  void reportsAFailedUploadInOneLine() throws IOException {
    try (RemoteFileSystem files = open(Map.of(ObjectStore.FAIL_CLOSE, "true"))) {
      try (RemoteOutput output = files.create("app/server/a.run")) {
        output.write(ByteBuffer.allocate(10));
        assertThatThrownBy(output::complete)
            .isInstanceOf(IOException.class)
            .hasMessage(
                "cannot complete objects:"
                    + directory
                    + "/app/server/a.run: IOException: the upload was refused");
      }
      assertThat(files.list("app/server")).isEmpty();
    }
  }

  private RemoteFileSystem open(Map<String, String> more) throws IOException {
    Map<String, String> properties = new java.util.HashMap<>(more);
    properties.put("fs.objects.impl", ObjectStore.class.getName());
    return new HadoopFileSystemProvider()
        .open(
            new RemoteSettings(
                "objects:" + directory, Optional.empty(), properties, Optional.empty()));
  }
}
