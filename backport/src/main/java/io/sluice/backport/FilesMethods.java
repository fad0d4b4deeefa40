package io.sluice.backport;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;

/** Newer methods of {@link Files}. */
@MethodsOf(Files.class)
public final class FilesMethods {
  private FilesMethods() {}

  public static String readString(Path path) throws IOException {
    return readString(path, StandardCharsets.UTF_8);
  }

  public static String readString(Path path, Charset charset) throws IOException {
    return charset.newDecoder().decode(ByteBuffer.wrap(Files.readAllBytes(path))).toString();
  }

  public static Path writeString(Path path, CharSequence text, OpenOption... options)
      throws IOException {
    ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
    byte[] exact = new byte[bytes.remaining()];
    bytes.get(exact);
    return Files.write(path, exact, options);
  }
}
