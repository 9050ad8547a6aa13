package doris.connector.check;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Checks that every class, method and field of Flink that the connector jar refers to exists in a
 * given Flink. The compiler only sees the version it compiles against; what an older one lacks
 * would show at run time.
 *
 * <p>Arguments: the connector jar, then files that hold a class path, one jar a line. Exit code 1
 * and one line for each missing member.
 */
public final class LinkCheck {
    /** What is known of a class: its super types and its members as name + descriptor. */
    private static final class Known {
        final List<String> parents = new ArrayList<>();
        final Set<String> members = new HashSet<>();
    }

    private final Map<String, Known> classes = new HashMap<>();
    private final Set<String> missing = new TreeSet<>();

    private LinkCheck() {}

    public static void main(String[] args) throws IOException {
        int bad = 0;
        for (int i = 1; i < args.length; i++) {
            LinkCheck check = new LinkCheck();
            check.learn(Path.of(args[0]));
            for (String jar : Files.readAllLines(Path.of(args[i]))) {
                if (jar.endsWith(".jar")) {
                    check.learn(Path.of(jar));
                }
            }
            int references = check.verify(Path.of(args[0]));
            for (String line : check.missing) {
                System.out.println(Path.of(args[i]).getFileName() + ": missing " + line);
            }
            System.out.println(
                    Path.of(args[i]).getFileName()
                            + ": "
                            + references
                            + " references to Flink checked");
            bad += check.missing.size();
        }
        System.exit(bad == 0 ? 0 : 1);
    }

    private void learn(Path path) throws IOException {
        forEachClass(
                path,
                reader -> {
                    Known known = new Known();
                    if (reader.getSuperName() != null) {
                        known.parents.add(reader.getSuperName());
                    }
                    known.parents.addAll(List.of(reader.getInterfaces()));
                    reader.accept(
                            new ClassVisitor(Opcodes.ASM9) {
                                @Override
                                public MethodVisitor visitMethod(
                                        int access,
                                        String name,
                                        String desc,
                                        String sig,
                                        String[] ex) {
                                    known.members.add(name + desc);
                                    return null;
                                }

                                @Override
                                public FieldVisitor visitField(
                                        int access,
                                        String name,
                                        String desc,
                                        String sig,
                                        Object value) {
                                    known.members.add(name + ":" + desc);
                                    return null;
                                }
                            },
                            ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG);
                    classes.putIfAbsent(reader.getClassName(), known);
                });
    }

    private int verify(Path jar) throws IOException {
        int[] count = {0};
        forEachClass(
                jar,
                reader -> {
                    String from = reader.getClassName();
                    type(from, reader.getSuperName());
                    for (String parent : reader.getInterfaces()) {
                        type(from, parent);
                    }
                    reader.accept(
                            new ClassVisitor(Opcodes.ASM9) {
                                @Override
                                public MethodVisitor visitMethod(
                                        int access,
                                        String name,
                                        String desc,
                                        String sig,
                                        String[] ex) {
                                    return new Body(from, count);
                                }
                            },
                            ClassReader.SKIP_DEBUG);
                });
        return count[0];
    }

    /** The references in a method's code. */
    private final class Body extends MethodVisitor {
        private final String from;
        private final int[] count;

        Body(String from, int[] count) {
            super(Opcodes.ASM9);
            this.from = from;
            this.count = count;
        }

        @Override
        public void visitMethodInsn(
                int op, String owner, String name, String desc, boolean isInterface) {
            count[0] += member(from, owner, name + desc);
        }

        @Override
        public void visitFieldInsn(int op, String owner, String name, String desc) {
            count[0] += member(from, owner, name + ":" + desc);
        }

        @Override
        public void visitTypeInsn(int op, String name) {
            type(from, name);
        }

        @Override
        public void visitInvokeDynamicInsn(
                String name, String desc, Handle bootstrap, Object... args) {
            for (Object arg : args) {
                if (arg instanceof Handle) {
                    Handle handle = (Handle) arg;
                    count[0] +=
                            member(from, handle.getOwner(), handle.getName() + handle.getDesc());
                }
            }
        }
    }

    private void type(String from, String name) {
        if (name != null && flink(name) && !classes.containsKey(name)) {
            missing.add(name + " (used by " + from + ")");
        }
    }

    private int member(String from, String owner, String member) {
        if (!flink(owner)) {
            return 0;
        }
        if (!classes.containsKey(owner)) {
            type(from, owner);
        } else if (!found(owner, member, new HashSet<>())) {
            missing.add(owner + "." + member + " (used by " + from + ")");
        }
        return 1;
    }

    private boolean found(String owner, String member, Set<String> seen) {
        Known known = classes.get(owner);
        if (known == null) {
            // A class of the JDK or of a library: its members are the same everywhere.
            return !flink(owner) && jdkHas(owner, member);
        }
        if (known.members.contains(member)) {
            return true;
        }
        for (String parent : known.parents) {
            if (seen.add(parent) && found(parent, member, seen)) {
                return true;
            }
        }
        return false;
    }

    private static boolean jdkHas(String owner, String member) {
        try {
            Class<?> type = Class.forName(owner.replace('/', '.'), false, null);
            for (java.lang.reflect.Method method : type.getMethods()) {
                if (member.equals(method.getName() + Type.getMethodDescriptor(method))) {
                    return true;
                }
            }
            for (java.lang.reflect.Method method : type.getDeclaredMethods()) {
                if (member.equals(method.getName() + Type.getMethodDescriptor(method))) {
                    return true;
                }
            }
            return member.startsWith("<init>");
        } catch (ClassNotFoundException e) {
            return true;
        }
    }

    private static boolean flink(String name) {
        String element = name.startsWith("[") ? name.replaceFirst("^\\[+L?", "") : name;
        return element.startsWith("org/apache/flink/") && !name.startsWith("[");
    }

    private interface ClassUser {
        void use(ClassReader reader);
    }

    private static void forEachClass(Path path, ClassUser user) throws IOException {
        try (JarFile jar = new JarFile(path.toFile())) {
            for (Enumeration<JarEntry> entries = jar.entries(); entries.hasMoreElements(); ) {
                JarEntry entry = entries.nextElement();
                if (entry.getName().endsWith(".class")
                        && !entry.getName().startsWith("META-INF/")) {
                    try (InputStream in = jar.getInputStream(entry)) {
                        user.use(new ClassReader(in));
                    }
                }
            }
        }
    }
}
