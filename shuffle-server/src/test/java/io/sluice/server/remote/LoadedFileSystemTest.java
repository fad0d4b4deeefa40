package io.sluice.server.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.server.remote.spi.RemoteFileSystem;
import io.sluice.server.remote.spi.RemoteInput;
import io.sluice.server.remote.spi.RemoteOutput;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/**
 * A bug of a connector is a failure of its file system: servers count only IOExceptions as such.
 */
class LoadedFileSystemTest {
  private final ClassLoader loader = new URLClassLoader(new URL[0]);

  @Test
  void everyExceptionOfAConnectorIsAnIoException() throws Exception {
    for (Throwable thrown :
        new Throwable[] {
          new IllegalStateException("a bug"),
          new NoClassDefFoundError("a/Class"),
          new IOException("no route to host")
        }) {
      RemoteFileSystem files = new LoadedFileSystem(failing(thrown), loader);
      fails(thrown, files::space);
      try (RemoteInput input = files.open("file")) {
        fails(thrown, () -> input.read(0, ByteBuffer.allocate(1)));
      }
      try (RemoteOutput output = files.create("file")) {
        fails(thrown, () -> output.write(ByteBuffer.allocate(1)));
        fails(thrown, output::complete);
      }
    }
  }

  private static void fails(
      Throwable thrown, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(thrown.getMessage());
  }

  private RemoteFileSystem failing(Throwable thrown) {
    RemoteInput input = fake(RemoteInput.class, thrown, null, null);
    RemoteOutput output = fake(RemoteOutput.class, thrown, null, null);
    return fake(RemoteFileSystem.class, thrown, input, output);
  }

  private <T> T fake(Class<T> type, Throwable thrown, RemoteInput input, RemoteOutput output) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "base" -> "fake:/";
                  case "open" -> input;
                  case "create" -> output;
                  case "close" -> null;
                  default -> {
                    assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(loader);
                    throw thrown;
                  }
                }));
  }
}
