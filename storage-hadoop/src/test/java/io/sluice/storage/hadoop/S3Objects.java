package io.sluice.storage.hadoop;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.NavigableSet;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * The objects of an S3 bucket: a file for each object, so that tests see and change them. Objects
 * whose keys end with a slash, which S3A writes for empty directories, are only in memory. Thread-
 * safe.
 */
final class S3Objects {
  private final Path root;
  private final Path uploads;
  private final NavigableSet<String> markers = new ConcurrentSkipListSet<>();
  private final Map<String, SortedMap<Integer, Path>> parts = new ConcurrentHashMap<>();
  private final AtomicLong names = new AtomicLong();

  /**
   * @param root directory of the bucket
   * @param uploads directory for unfinished uploads, on the same file system
   */
  S3Objects(Path root, Path uploads) throws IOException {
    this.root = Files.createDirectories(root);
    this.uploads = Files.createDirectories(uploads);
  }

  private Path file(String key) {
    return root.resolve(key);
  }

  private static boolean isMarker(String key) {
    return key.endsWith("/");
  }

  boolean exists(String key) {
    return isMarker(key) ? markers.contains(key) : Files.isRegularFile(file(key));
  }

  long size(String key) throws IOException {
    return isMarker(key) ? 0 : Files.size(file(key));
  }

  byte[] read(String key) throws IOException {
    return isMarker(key) ? new byte[0] : Files.readAllBytes(file(key));
  }

  /** Changes with the contents: files are never overwritten in place. */
  String tag(String key) throws IOException {
    return isMarker(key)
        ? "marker"
        : Files.getLastModifiedTime(file(key)).toMillis() + "-" + Files.size(file(key));
  }

  void write(String key, byte[] contents) throws IOException {
    if (isMarker(key)) {
      markers.add(key);
      return;
    }
    Path part = newPart();
    Files.write(part, contents);
    publish(part, key);
  }

  private Path newPart() {
    return uploads.resolve(Long.toString(names.incrementAndGet()));
  }

  private synchronized void publish(Path part, String key) throws IOException {
    Files.createDirectories(file(key).getParent());
    Files.move(part, file(key), StandardCopyOption.ATOMIC_MOVE);
  }

  /** Deletes an object, and directories that have no others; does nothing if it does not exist. */
  synchronized void delete(String key) throws IOException {
    if (isMarker(key)) {
      markers.remove(key);
      return;
    }
    try {
      Files.deleteIfExists(file(key));
      for (Path parent = file(key).getParent(); !parent.equals(root); parent = parent.getParent()) {
        Files.delete(parent);
      }
    } catch (DirectoryNotEmptyException | NoSuchFileException e) {
      // Other objects have the same prefix.
    }
  }

  /** All keys with a prefix, in order. */
  NavigableSet<String> keys(String prefix) throws IOException {
    NavigableSet<String> keys = new TreeSet<>(markers);
    try (Stream<Path> files = Files.walk(root)) {
      files
          .filter(Files::isRegularFile)
          .forEach(file -> keys.add(root.relativize(file).toString()));
    } catch (java.io.UncheckedIOException e) {
      // A directory was deleted while it was listed.
      return keys(prefix);
    }
    keys.removeIf(key -> !key.startsWith(prefix));
    return keys;
  }

  /** Begins an upload in parts. */
  String beginUpload() {
    String upload = "upload-" + names.incrementAndGet();
    parts.put(upload, new TreeMap<>());
    return upload;
  }

  void writePart(String upload, int number, byte[] contents) throws IOException {
    Path part = newPart();
    Files.write(part, contents);
    SortedMap<Integer, Path> all = parts.get(upload);
    synchronized (all) {
      all.put(number, part);
    }
  }

  void completeUpload(String upload, String key) throws IOException {
    Path whole = newPart();
    try (OutputStream out = Files.newOutputStream(whole)) {
      for (Path part : parts.remove(upload).values()) {
        Files.copy(part, out);
        Files.delete(part);
      }
    }
    publish(whole, key);
  }

  void abortUpload(String upload) throws IOException {
    SortedMap<Integer, Path> all = parts.remove(upload);
    for (Path part : all == null ? new TreeSet<Path>() : all.values()) {
      Files.delete(part);
    }
  }

  boolean hasUpload(String upload) {
    return parts.containsKey(upload);
  }
}
