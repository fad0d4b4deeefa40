package io.sluice.common.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a small file says, read again when it has changed. Looked at, by whoever asks, every two
 * seconds at most: a system call of microseconds. A file that has become unreadable or wrong leaves
 * what was read before, with one warning. Thread-safe.
 */
public final class ReloadedFile<T> implements Supplier<T> {
  private static final Logger LOG = LoggerFactory.getLogger(ReloadedFile.class);

  private static final long LOOK_EVERY_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long MAX_BYTES = 1 << 20;

  private final Path file;
  private final Function<String, T> parser;
  private final LongSupplier nanoTime;
  private volatile T value;
  private volatile long lookedNanos;
  // Guarded by this.
  private Stamp seen;

  private record Stamp(long modifiedMs, long size, Object key) {}

  private ReloadedFile(Path file, Function<String, T> parser, LongSupplier nanoTime) {
    this.file = file;
    this.parser = parser;
    this.nanoTime = nanoTime;
  }

  /**
   * Reads a file for the first time.
   *
   * @param parser throws IllegalArgumentException with what is wrong
   * @throws IOException one line: the file, and what is wrong with it
   */
  public static <T> ReloadedFile<T> of(Path file, Function<String, T> parser, LongSupplier nanoTime)
      throws IOException {
    ReloadedFile<T> reloaded = ofPublic(file, parser, nanoTime);
    reloaded.warnIfOthersMayRead();
    return reloaded;
  }

  /** As {@link #of}, of a file that is no secret. */
  public static <T> ReloadedFile<T> ofPublic(
      Path file, Function<String, T> parser, LongSupplier nanoTime) throws IOException {
    ReloadedFile<T> reloaded = new ReloadedFile<>(file, parser, nanoTime);
    reloaded.seen = reloaded.stamp();
    reloaded.value = reloaded.read();
    reloaded.lookedNanos = nanoTime.getAsLong();
    return reloaded;
  }

  @Override
  public T get() {
    if (nanoTime.getAsLong() - lookedNanos >= LOOK_EVERY_NANOS) {
      look();
    }
    return value;
  }

  private synchronized void look() {
    long now = nanoTime.getAsLong();
    if (now - lookedNanos < LOOK_EVERY_NANOS) {
      return;
    }
    lookedNanos = now;
    try {
      Stamp found = stamp();
      if (found.equals(seen)) {
        return;
      }
      // Not tried again before it changes again: one warning.
      seen = found;
      value = read();
      LOG.info("file read again file={}", file);
    } catch (IOException e) {
      LOG.warn("file not read again, what it said before holds reason={}", e.getMessage());
    }
  }

  private Stamp stamp() throws IOException {
    try {
      BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
      return new Stamp(
          attributes.lastModifiedTime().toMillis(), attributes.size(), attributes.fileKey());
    } catch (NoSuchFileException e) {
      throw new IOException(file + ": no such file", e);
    } catch (IOException e) {
      throw new IOException(file + ": cannot be read; check its permissions", e);
    }
  }

  private T read() throws IOException {
    if (Files.size(file) > MAX_BYTES) {
      throw new IOException(file + ": larger than " + MAX_BYTES + " bytes");
    }
    String text;
    try {
      text = Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IOException(file + ": cannot be read as UTF-8 text; check its permissions", e);
    }
    try {
      return parser.apply(text);
    } catch (IllegalArgumentException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
  }

  private void warnIfOthersMayRead() throws IOException {
    try {
      Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
      if (permissions.contains(PosixFilePermission.OTHERS_READ)) {
        LOG.warn("every user of this host may read a secret file={} (chmod o-r)", file);
      }
    } catch (UnsupportedOperationException e) {
      LOG.debug("file system without permissions file={}", file, e);
    }
  }
}
