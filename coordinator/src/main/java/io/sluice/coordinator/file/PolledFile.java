package io.sluice.coordinator.file;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a small file says. It must be right at first; later, one that is gone or wrong leaves what
 * it said before, and the trouble is logged once, not at each reading. Belongs to the one thread
 * that polls it.
 */
public final class PolledFile<T> {
  private static final Logger log = LoggerFactory.getLogger(PolledFile.class);

  /** Some 40,000 lines; a larger file is a mistake. */
  private static final long MAX_LENGTH = 1 << 20;

  private final Path path;
  private final Function<String, T> parser;
  private String text;
  private T value;
  private String lastTrouble;

  /**
   * Reads a file for the first time.
   *
   * @param parser throws IllegalArgumentException with what is wrong
   * @throws IOException one line: the file, and what is wrong with it
   */
  public PolledFile(Path path, Function<String, T> parser) throws IOException {
    this.path = path;
    this.parser = parser;
    this.text = content();
    this.value = parsed(text);
  }

  /** As the constructor, if there is a path. */
  public static <T> Optional<PolledFile<T>> of(Optional<Path> path, Function<String, T> parser)
      throws IOException {
    return path.isEmpty() ? Optional.empty() : Optional.of(new PolledFile<>(path.get(), parser));
  }

  /** Reads the file now; what it said before if that does not work. */
  public T read() {
    try {
      String now = content();
      if (!now.equals(text)) {
        value = parsed(now);
        text = now;
        log.info("file read again file={}", path);
      }
      lastTrouble = null;
    } catch (IOException e) {
      if (!Objects.equals(e.getMessage(), lastTrouble)) {
        log.warn("file not read again, what it said before holds reason={}", e.getMessage());
        lastTrouble = e.getMessage();
      }
    }
    return value;
  }

  private String content() throws IOException {
    try {
      if (Files.size(path) > MAX_LENGTH) {
        throw new IOException(
            path + ": has " + Files.size(path) + " bytes, at most " + MAX_LENGTH + " are read");
      }
      return Files.readString(path, StandardCharsets.UTF_8);
    } catch (NoSuchFileException e) {
      throw new IOException(path + ": no such file", e);
    } catch (CharacterCodingException e) {
      throw new IOException(path + ": is not UTF-8 text", e);
    } catch (FileSystemException e) {
      throw new IOException(path + ": cannot be read; check its permissions", e);
    }
  }

  private T parsed(String from) throws IOException {
    try {
      return parser.apply(from);
    } catch (IllegalArgumentException e) {
      throw new IOException(path + ": " + e.getMessage(), e);
    }
  }
}
