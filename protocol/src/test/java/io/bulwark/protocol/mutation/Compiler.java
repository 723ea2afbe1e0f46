package io.bulwark.protocol.mutation;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/** Compiles one source file in memory, against the classes of its module and of those that it needs. */
public final class Compiler implements AutoCloseable {
    private static final List<String> OPTIONS =
            List.of("-proc:none", "-nowarn", "-XDuseUnsharedTable", "--add-modules", "jdk.incubator.vector");

    private final JavaCompiler javac =
            Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "the tests run on a JDK");
    private final StandardJavaFileManager files = javac.getStandardFileManager(null, null, null);

    /** @param onClassPath a class of each place that the source needs */
    public Compiler(Collection<Class<?>> onClassPath) {
        try {
            List<Path> paths = onClassPath.stream().map(Compiler::placeOf).toList();
            files.setLocationFromPaths(StandardLocation.CLASS_PATH, paths);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path placeOf(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The class files, by binary name. */
    public Map<String, byte[]> compile(String className, String source) {
        Map<String, ByteArrayOutputStream> outputs = new HashMap<>();
        StringWriter complaints = new StringWriter();
        JavaFileManager inMemory = new ForwardingJavaFileManager<JavaFileManager>(files) {
            @Override
            public JavaFileObject getJavaFileForOutput(
                    Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
                return new Output(name, outputs);
            }
        };
        boolean compiled = javac.getTask(
                        complaints, inMemory, null, OPTIONS, null, List.of(new Source(className, source)))
                .call();
        if (!compiled) {
            throw new AssertionError(className + " does not compile: " + complaints);
        }
        Map<String, byte[]> classes = new HashMap<>();
        outputs.forEach((name, bytes) -> classes.put(name, bytes.toByteArray()));
        return classes;
    }

    @Override
    public void close() throws IOException {
        files.close();
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String className, String text) {
            super(URI.create("string:///" + className.replace('.', '/') + Kind.SOURCE.extension), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static final class Output extends SimpleJavaFileObject {
        private final String name;
        private final Map<String, ByteArrayOutputStream> outputs;

        Output(String name, Map<String, ByteArrayOutputStream> outputs) {
            super(URI.create("string:///" + name.replace('.', '/') + Kind.CLASS.extension), Kind.CLASS);
            this.name = name;
            this.outputs = outputs;
        }

        @Override
        public OutputStream openOutputStream() {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            outputs.put(name, bytes);
            return bytes;
        }
    }
}
