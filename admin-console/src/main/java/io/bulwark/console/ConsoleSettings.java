package io.bulwark.console;

import java.net.InetSocketAddress;
import java.nio.file.Path;

/**
 * Settings of a console.
 *
 * @param listen address of the web server
 * @param published whether something in front of the console admits only those who may reach it, such as a port that a container engine
 *     publishes on its host's loopback
 * @param directory where the console keeps its accounts
 */
public record ConsoleSettings(InetSocketAddress listen, boolean published, Path directory) {}
