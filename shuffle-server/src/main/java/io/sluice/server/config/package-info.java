/**
 * What the machine gives a server: the address that others reach it at, and the memory that it may
 * take. Read once at the start; stateless.
 */
package io.sluice.server.config;
