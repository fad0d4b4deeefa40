package io.sluice.common.file;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A small text file that is parsed again when it changes. Changes are detected by comparing
 * contents, because a file replaced within one tick of the kernel's clock keeps its time and may
 * keep its size. If the file becomes unreadable or invalid, the last valid value stays in use; each
 * reason is logged once. Thread-safe.
 */
public final class WatchedFile<T> {
  private static final Logger LOG = LoggerFactory.getLogger(WatchedFile.class);

  /** Enough for about 40,000 lines; a larger file is rejected. */
  public static final int MAX_BYTES = 1 << 20;

  private static final long REREAD_INTERVAL_NANOS = Duration.ofSeconds(2).toNanos();

  private final Path path;
  private final Function<String, T> parser;
  private final Optional<T> valueWhenAbsent;
  // Guarded by this.
  private T value;
  private Optional<String> text = Optional.empty();
  private String loggedReason;

  private WatchedFile(Path path, Function<String, T> parser, Optional<T> valueWhenAbsent) {
    this.path = path;
    this.parser = parser;
    this.valueWhenAbsent = valueWhenAbsent;
  }

  /**
   * Reads a file that must exist and be valid now.
   *
   * @param parser throws IllegalArgumentException that describes the error in the text
   * @throws IOException with a one-line message: the file and the problem
   */
  public static <T> WatchedFile<T> open(Path path, Function<String, T> parser) throws IOException {
    WatchedFile<T> file = new WatchedFile<>(path, parser, Optional.empty());
    file.update();
    return file;
  }

  /** As {@link #open(Path, Function)}, if there is a path. */
  public static <T> Optional<WatchedFile<T>> open(Optional<Path> path, Function<String, T> parser)
      throws IOException {
    return path.isEmpty() ? Optional.empty() : Optional.of(open(path.get(), parser));
  }

  /**
   * As {@link #open(Path, Function)}; logs a warning if every user of the host may read the file.
   */
  public static <T> WatchedFile<T> openSecret(Path path, Function<String, T> parser)
      throws IOException {
    WatchedFile<T> file = open(path, parser);
    file.warnIfWorldReadable();
    return file;
  }

  /**
   * Opens a file that may be absent at any time.
   *
   * @param valueWhenAbsent the value without a file, and until the file is valid for the first time
   */
  public static <T> WatchedFile<T> openOptional(
      Path path, Function<String, T> parser, T valueWhenAbsent) {
    WatchedFile<T> file = new WatchedFile<>(path, parser, Optional.of(valueWhenAbsent));
    file.value = valueWhenAbsent;
    return file;
  }

  public Path path() {
    return path;
  }

  /** Reads the file now; returns the last valid value if that fails. */
  public synchronized T read() {
    try {
      update();
      loggedReason = null;
    } catch (IOException e) {
      if (!Objects.equals(e.getMessage(), loggedReason)) {
        LOG.warn("file not reloaded, using its last valid contents reason=\"{}\"", e.getMessage());
        loggedReason = e.getMessage();
      }
    }
    return value;
  }

  /**
   * The value for frequent callers, from any thread: the file is read at most once in two seconds.
   */
  public Supplier<T> cached(LongSupplier nanoTime) {
    return new Cached<>(this, nanoTime);
  }

  private synchronized void update() throws IOException {
    Optional<String> found;
    try {
      found = Optional.of(readText(path));
    } catch (NoSuchFileException e) {
      if (valueWhenAbsent.isEmpty()) {
        throw new IOException(path + ": no such file", e);
      }
      found = Optional.empty();
    }
    if (value != null && found.equals(text)) {
      return;
    }
    T parsed;
    try {
      parsed = found.map(parser).or(() -> valueWhenAbsent).orElseThrow();
    } catch (IllegalArgumentException e) {
      throw new IOException(path + ": " + e.getMessage(), e);
    }
    if (value != null) {
      LOG.info("file reloaded file={}", path);
    }
    value = parsed;
    text = found;
  }

  /**
   * The whole text of a file of at most {@link #MAX_BYTES}.
   *
   * @throws NoSuchFileException if there is none
   * @throws IOException with a one-line message: the file and the reason
   */
  public static String readText(Path path) throws IOException {
    byte[] bytes;
    try (InputStream in = Files.newInputStream(path)) {
      bytes = in.readNBytes(MAX_BYTES + 1);
    } catch (NoSuchFileException e) {
      throw e;
    } catch (IOException e) {
      throw new IOException(path + ": cannot be read; check its permissions (" + e + ")", e);
    }
    if (bytes.length > MAX_BYTES) {
      throw new IOException(path + ": larger than " + MAX_BYTES + " bytes");
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new IOException(path + ": is not UTF-8 text", e);
    }
  }

  private void warnIfWorldReadable() throws IOException {
    try {
      if (Files.getPosixFilePermissions(path).contains(PosixFilePermission.OTHERS_READ)) {
        LOG.warn(
            "secret file is readable by all users of this host, run 'chmod o-r' on it file={}",
            path);
      }
    } catch (UnsupportedOperationException e) {
      LOG.debug("file system does not support POSIX permissions file={}", path, e);
    }
  }

  private static final class Cached<T> implements Supplier<T> {
    private final WatchedFile<T> file;
    private final LongSupplier nanoTime;
    private volatile T value;
    private volatile long readNanos;

    private Cached(WatchedFile<T> file, LongSupplier nanoTime) {
      this.file = file;
      this.nanoTime = nanoTime;
      this.value = file.read();
      this.readNanos = nanoTime.getAsLong();
    }

    @Override
    public T get() {
      if (nanoTime.getAsLong() - readNanos >= REREAD_INTERVAL_NANOS) {
        readAgain();
      }
      return value;
    }

    private synchronized void readAgain() {
      if (nanoTime.getAsLong() - readNanos >= REREAD_INTERVAL_NANOS) {
        value = file.read();
        readNanos = nanoTime.getAsLong();
      }
    }
  }
}
