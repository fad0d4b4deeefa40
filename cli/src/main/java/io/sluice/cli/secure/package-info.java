/**
 * {@code sluice secure}: keys, certificates and users of a cluster, in a directory of the operator.
 * {@link io.sluice.cli.secure.SecureDirectory} names the files. No command connects to a cluster.
 */
package io.sluice.cli.secure;
