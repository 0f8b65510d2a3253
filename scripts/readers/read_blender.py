"""What Blender reads: a line of JSON for each mesh of each file, at frames of its animation. After --: JSON of jobs."""
import json
import sys

import bpy
import numpy

# Blender 3.4 reads glTF with a name that newer NumPy has no longer.
if not hasattr(numpy, "bool"):
    numpy.bool = bool


def clear():
    bpy.ops.wm.read_factory_settings(use_empty=True)


def load(path):
    if path.endswith(".glb"):
        bpy.ops.import_scene.gltf(filepath=path)
    elif path.endswith(".obj"):
        bpy.ops.wm.obj_import(filepath=path, forward_axis="NEGATIVE_Z", up_axis="Y")
    else:
        bpy.ops.import_mesh.ply(filepath=path)


def facts(thing):
    graph = bpy.context.evaluated_depsgraph_get()
    seen = thing.evaluated_get(graph)
    mesh = seen.to_mesh()
    places = [seen.matrix_world @ vertex.co for vertex in mesh.vertices]
    found = {
        "name": thing.name,
        "vertices": len(mesh.vertices),
        "triangles": sum(len(face.vertices) - 2 for face in mesh.polygons),
        "low": [min(p[k] for p in places) for k in range(3)],
        "high": [max(p[k] for p in places) for k in range(3)],
        "uvs": len(mesh.uv_layers),
        "materials": [m.name for m in thing.data.materials if m],
        "pictures": [
            [node.image.size[0], node.image.size[1]]
            for m in thing.data.materials
            if m and m.node_tree
            for node in m.node_tree.nodes
            if node.type == "TEX_IMAGE" and node.image
        ],
    }
    seen.to_mesh_clear()
    return found


for job in json.loads(sys.argv[sys.argv.index("--") + 1]):
    clear()
    bpy.context.scene.render.fps = job.get("fps", 24)
    load(job["file"])
    for frame in job.get("frames", [None]):
        if frame is not None:
            bpy.context.scene.frame_set(int(frame), subframe=frame % 1)
        for thing in sorted(bpy.data.objects, key=lambda o: o.name):
            if thing.type == "MESH" and len(thing.data.vertices) > 0:
                print("FACTS " + json.dumps({"file": job["file"], "frame": frame, **facts(thing)}))
