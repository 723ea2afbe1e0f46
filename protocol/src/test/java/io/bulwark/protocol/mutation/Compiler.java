package io.bulwark.protocol.mutation;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
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
import javax.tools.ToolProvider;

/** Compiles one source file in memory, against the class path of the running tests. */
final class Compiler implements AutoCloseable {
    private static final List<String> OPTIONS =
            List.of("-proc:none", "-nowarn", "-XDuseUnsharedTable", "--add-modules", "jdk.incubator.vector");

    private final JavaCompiler javac =
            Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "the tests run on a JDK");
    private final StandardJavaFileManager files = javac.getStandardFileManager(null, null, null);

    /** The class files, by binary name. */
    Map<String, byte[]> compile(String className, String source) {
        Map<String, ByteArrayOutputStream> outputs = new HashMap<>();
        StringWriter messages = new StringWriter();
        JavaFileManager inMemory = new ForwardingJavaFileManager<JavaFileManager>(files) {
            @Override
            public JavaFileObject getJavaFileForOutput(
                    Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
                return new Output(name, outputs);
            }
        };
        boolean compiled = javac.getTask(
                        messages, inMemory, null, OPTIONS, null, List.of(new Source(className, source)))
                .call();
        if (!compiled) {
            throw new AssertionError(className + " does not compile: " + messages);
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
