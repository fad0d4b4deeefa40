package io.sluice.cli.secure;

import io.netty.util.NetUtil;
import io.sluice.common.config.HostText;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Names and addresses at which other processes reach a process.
 *
 * @param all the first one names its files and its entry in a quorum
 */
record ProcessHosts(List<String> all) {
  /** Maximum length of a common name. */
  private static final int MAX_LABEL = 64;

  /** A host names files, so it has no slash. */
  private static final Pattern NAME =
      Pattern.compile("[A-Za-z0-9_]([A-Za-z0-9._-]{0,250}[A-Za-z0-9])?");

  ProcessHosts {
    all = List.copyOf(all);
  }

  /**
   * Parses hosts that are joined with {@code +}.
   *
   * @throws IllegalArgumentException that quotes the text and names the expected form
   */
  static ProcessHosts parse(String text) {
    Set<String> hosts = new LinkedHashSet<>();
    for (String part : text.split("\\+", -1)) {
      String host = HostText.canonical(part);
      if (!isAddress(host) && !NAME.matcher(host).matches()) {
        throw new IllegalArgumentException(
            "\""
                + text
                + "\": expected a host name or address, or several of one process joined with"
                + " +, such as shuffle-1.example.com+10.0.0.11");
      }
      hosts.add(host);
    }
    return new ProcessHosts(new ArrayList<>(hosts));
  }

  /** The same hosts, with the one first that names the files. */
  static ProcessHosts beginningWith(String first, List<String> hosts) {
    Set<String> all = new LinkedHashSet<>(List.of(first));
    hosts.forEach(host -> all.add(HostText.canonical(host)));
    return new ProcessHosts(List.copyOf(all));
  }

  String first() {
    return all.get(0);
  }

  /** First label of a name, or the whole address; names the process in certificates. */
  String label() {
    String host = first();
    String label = isAddress(host) ? host : host.split("\\.", 2)[0];
    return label.substring(0, Math.min(MAX_LABEL, label.length()));
  }

  private static boolean isAddress(String host) {
    return NetUtil.createByteArrayFromIpAddressString(host) != null;
  }
}
