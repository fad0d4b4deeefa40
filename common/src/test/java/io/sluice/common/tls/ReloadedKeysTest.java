package io.sluice.common.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.tls.ReloadedKeys.Pair;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReloadedKeysTest {
  @TempDir Path directory;

  private Pair pair(String name) throws Exception {
    TestCertificates.write(directory, name, "127.0.0.1");
    return new Pair(
        PemFiles.key(Files.readString(directory.resolve(name + ".key"))),
        PemFiles.certificates(Files.readString(directory.resolve(name + ".crt"))));
  }

  private static void assertPair(ReloadedKeys keys, String alias, Pair expected) {
    assertThat(keys.getPrivateKey(alias)).isEqualTo(expected.key());
    assertThat(keys.getCertificateChain(alias)).isEqualTo(expected.chain().toArray());
  }

  @Test
  void aHandshakeThatHasBegunKeepsItsPair() throws Exception {
    Pair before = pair("before");
    Pair after = pair("after");
    AtomicReference<Pair> files = new AtomicReference<>(before);
    ReloadedKeys keys = new ReloadedKeys(files::get);
    String begun = keys.chooseServerAlias("EC", null, null);
    assertThat(keys.chooseServerAlias("RSA", null, null)).isNull();

    files.set(after);

    assertPair(keys, begun, before);
    String next = keys.chooseClientAlias(new String[] {"RSA", "EC"}, null, null);
    assertThat(next).isNotEqualTo(begun);
    assertPair(keys, next, after);
    assertPair(keys, begun, before);
  }
}
